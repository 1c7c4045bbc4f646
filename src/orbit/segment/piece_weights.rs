//! Interpolation weights of the pieces of an interval, made once.

use slipstick_floquet::{PLANAR_STAGES, Piece, planar_nodes};
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};

/// Interpolation weights of one piece of an interval, for each of the points it is sampled at.
type Weights = [[f64; MOST_STAGES + 1]; PLANAR_STAGES];

/// The interpolation weights of all pieces down to a level.
#[derive(Clone, Debug, Default)]
pub(crate) struct PieceWeights {
    stages: usize,
    /// Level by level; each is filled in when it is first asked for.
    tables: Vec<Option<Box<Weights>>>,
    other: Box<Weights>,
}

/// Pieces down to this level are remembered.
const REMEMBERED: u32 = 6;

impl PieceWeights {
    /// Those of a piece of an interval with these stages.
    pub(super) fn of(&mut self, gauss: &Tableau, piece: Piece) -> &Weights {
        if self.stages != gauss.stages {
            self.stages = gauss.stages;
            self.tables.clear();
        }
        let (begin, width) = piece.extent();
        let fill = |weights: &mut Weights| {
            for (w, c) in weights.iter_mut().zip(planar_nodes()) {
                gauss.interpolation(begin + c * width, w);
            }
        };
        if piece.level > REMEMBERED {
            fill(&mut self.other);
            return &self.other;
        }
        let slot = (1usize << piece.level) - 1 + piece.index as usize;
        if self.tables.len() <= slot {
            self.tables.resize(slot + 1, None);
        }
        self.tables[slot].get_or_insert_with(|| {
            let mut weights = Box::default();
            fill(&mut weights);
            weights
        })
    }
}
