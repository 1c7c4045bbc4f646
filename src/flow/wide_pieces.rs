//! Windows of a large linear mode over a long time: as wide as the functions are polynomials, however fast its fastest
//! modes would be. Those of a structure have decayed soon, and windows as short as their time scale would be thousands.

use super::error::FlowError;
use super::event_locator::EventLocator;
use super::taylor_piece::{Rows, Taylor, TaylorPiece};
use slipstick_numerics::stop::look;
use smallvec::SmallVec;
use std::cell::Cell;

impl EventLocator<'_> {
    /// As [`EventLocator::windows_together`], of a mode without a closed form.
    pub(crate) fn wide_pieces(
        &self,
        taylor: &Taylor,
        functions: &[&Rows],
        x0: &[f64],
        from: f64,
        to: &Cell<f64>,
        each: &mut dyn FnMut(usize, &TaylorPiece) -> bool,
    ) -> Result<(), FlowError> {
        /// After so many windows the basis is renewed from the start, so that rounding does not pile up.
        const RENEW: usize = 16;
        /// Windows of 2⁴⁰ lengths are wide enough.
        const WIDEST: usize = 40;
        let length = taylor.length();
        let mut z: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, taylor.field.size());
        let mut x: SmallVec<[f64; 8]> = SmallVec::from_slice(x0);
        let mut active: SmallVec<[bool; 8]> = SmallVec::from_elem(true, functions.len());
        // How many lengths are behind, and windows since the basis was renewed; how wide the next window is tried, and
        // how many of one length come first where a wider one was none.
        let (mut behind, mut since_renewed) = (0usize, 0);
        let (mut level, mut narrow) = (1, 1);
        while active.contains(&true) {
            look();
            let start = from + behind as f64 * length;
            let lengths = (to.get() - start) / length;
            if lengths <= 0.0 && behind > 0 {
                break;
            }
            if since_renewed % RENEW == 0 {
                if start != 0.0 {
                    self.state(x0, start, &mut x)?;
                }
                taylor.field.embed(&x, &mut z);
            }
            let angle = taylor.field.largest_angle(&x);
            // Not wider than what is left.
            while level > 1 && 2.0f64.powi(level as i32 - 1) >= lengths {
                level -= 1;
            }
            let tried = level;
            let pieces = loop {
                let among = (0..functions.len()).filter(|f| active[*f]);
                let piece = |f: usize| Some((f, taylor.wide_piece(functions[f], level, &z, angle, start)?));
                let pieces: Option<SmallVec<[_; 2]>> = among.map(piece).collect();
                if pieces.is_some() || level == 1 {
                    break pieces;
                }
                level -= 1;
            };
            if let Some(pieces) = pieces {
                for (f, mut piece) in pieces {
                    piece.last = ((to.get() - piece.centre) / piece.half).min(1.0);
                    active[f] = each(f, &piece);
                }
                taylor.leap_wide(level, &mut z);
                behind += 1 << level;
                since_renewed += 1;
                narrow = 1;
                if level == tried {
                    level = (level + 1).min(WIDEST);
                }
                continue;
            }
            taylor.first(&mut z);
            for k in 0..narrow {
                if k > 0 {
                    taylor.leap(1, &mut z);
                }
                let centre = from + behind as f64 * length + taylor.half;
                if !taylor.show(functions, &mut active, (&z, angle), (centre, to), each) {
                    return Err(self.not_finite(centre - taylor.half));
                }
                behind += 1;
                if (to.get() - centre) / taylor.half <= 1.0 || !active.contains(&true) {
                    return Ok(());
                }
            }
            narrow = (2 * narrow).min(RENEW);
            since_renewed = 0;
        }
        Ok(())
    }
}
