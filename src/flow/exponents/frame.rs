//! Orthonormal tangent vectors along a motion, and how much each has grown.

use slipstick_numerics::linalg::{dot, norm};

/// Passes of Gram-Schmidt at most: each leaves what rounding made of the last.
const PASSES: usize = 4;

/// Products of triangles with growths outside are kept in parts.
const ORDINARY: std::ops::Range<f64> = 1e-60..1e60;

/// The vectors of a frame after a step: orthonormal again, with the triangle of `images = vectors · triangle`.
pub(super) struct Turned {
    dim: usize,
    vectors: Vec<f64>,
    /// Count × count, row by row; zero below the diagonal.
    triangle: Vec<f64>,
    /// Which of the vectors vanished.
    lost: Vec<usize>,
}

/// Orthonormal tangent vectors. The first `k` span what any `k` directions in general position turn to, so that the
/// growth of the volume that they span is that of the `k` largest exponents.
#[derive(Clone)]
pub(super) struct Frame {
    dim: usize,
    /// The vectors one after the other, each of `dim` numbers.
    vectors: Vec<f64>,
    /// The logarithm of the growth of each since [`Frame::restart`].
    growth: Vec<f64>,
    /// How many directions were lost exactly.
    lost: usize,
    /// The triangles since [`Frame::take_triangles`], where they are wanted: products of as many as keep their digits.
    triangles: Option<Vec<Vec<f64>>>,
}

impl Turned {
    /// Orthonormalise `images` (vectors of `dim` numbers, one after the other) by Gram-Schmidt, as often as it takes.
    /// Vectors of which no more than `floor` is left are lost.
    pub(super) fn of(mut images: Vec<f64>, dim: usize, floor: f64) -> Self {
        let count = images.len().checked_div(dim).unwrap_or(0);
        let mut triangle = vec![0.0; count * count];
        let mut lost = vec![];
        for j in 0..count {
            let (before, rest) = images.split_at_mut(j * dim);
            let v = &mut rest[..dim];
            let mut size = norm(v);
            // What is left after most was taken away is not orthogonal yet.
            for _ in 0..PASSES {
                let before_pass = size;
                for (i, q) in before.chunks_exact(dim).enumerate() {
                    let along = dot(q, v);
                    triangle[i * count + j] += along;
                    v.iter_mut().zip(q).for_each(|(v, q)| *v -= along * q);
                }
                size = norm(v);
                if size > 0.5 * before_pass {
                    break;
                }
            }
            if size <= floor {
                lost.push(j);
                v.fill(0.0);
            } else {
                triangle[j * count + j] = size;
                v.iter_mut().for_each(|v| *v /= size);
            }
        }
        Self {
            dim,
            vectors: images,
            triangle,
            lost,
        }
    }

    /// The number of vectors, lost ones included.
    fn count(&self) -> usize {
        self.triangle.len().isqrt()
    }

    /// By how much the vectors grew, in order.
    pub(super) fn growth(&self) -> impl Iterator<Item = f64> {
        let count = self.count();
        (0..count).map(move |j| self.triangle[j * count + j])
    }

    /// The vectors themselves.
    pub(super) fn vectors(&self) -> &[f64] {
        &self.vectors
    }

    /// This step and the one after it as a single one.
    pub(super) fn then(self, mut next: Self) -> Self {
        next.triangle = product(&next.triangle, &self.triangle, self.count());
        next
    }

    /// Of as many vectors as there are dimensions: give the last one the growth that makes the product of all of them
    /// the determinant of the step. It is lost where that is zero, and not where rounding left nothing of it.
    pub(super) fn with_determinant(mut self, determinant: f64) -> Self {
        let Some(last) = self.count().checked_sub(1) else {
            return self;
        };
        if self.lost.iter().any(|&j| j != last) {
            return self;
        }
        let vanished = self.lost.pop().is_some();
        if determinant == 0.0 {
            self.lost.push(last);
        } else if vanished {
            self.complete();
        }
        let others: f64 = self.growth().take(last).product();
        self.triangle[self.dim * self.dim - 1] = determinant.abs() / others;
        self
    }

    /// Make the last vector the direction orthogonal to all others.
    fn complete(&mut self) {
        let (others, _) = self.vectors.split_at(self.vectors.len() - self.dim);
        let left = |i: usize| {
            let mut v = vec![0.0; self.dim];
            v[i] = 1.0;
            Self::of([others, &v].concat(), self.dim, 0.0)
        };
        let remains = |turned: &Self| turned.triangle.last().copied().unwrap_or(0.0);
        let best = (0..self.dim).map(left).max_by(|a, b| remains(a).total_cmp(&remains(b)));
        self.vectors = best.map_or_else(Vec::new, |turned| turned.vectors);
    }
}

impl Frame {
    /// `count` vectors in general position in `dim` dimensions, the same ones each time.
    pub(super) fn new(dim: usize, count: usize) -> Self {
        // Fractional parts of multiples of irrational numbers: no vector is special, and none is random.
        let entry = |k: usize| ((k + 1) as f64 * std::f64::consts::SQRT_2 + (k * k) as f64 * 0.1).fract() - 0.5;
        let count = count.min(dim);
        let images = (0..count * dim)
            .map(|k| entry(k) + 2.0 * f64::from(u8::from(k / dim == k % dim)))
            .collect();
        let begun = Turned::of(images, dim, 0.0);
        Self {
            dim,
            vectors: begun.vectors,
            growth: vec![0.0; count],
            lost: 0,
            triangles: None,
        }
    }

    /// How many directions are left.
    pub(super) fn count(&self) -> usize {
        self.growth.len()
    }

    /// How many directions were lost so far.
    pub(super) fn lost(&self) -> usize {
        self.lost
    }

    /// The vectors, each of as many numbers as the mode has states.
    pub(super) fn vectors(&self) -> std::slice::ChunksExact<'_, f64> {
        self.vectors.chunks_exact(self.dim.max(1))
    }

    /// The images of the vectors under a matrix, row by row.
    pub(super) fn images(&self, matrix: &[f64]) -> Vec<f64> {
        let image = |v| matrix.chunks_exact(self.dim).map(move |row| dot(row, v));
        self.vectors().flat_map(image).collect()
    }

    /// The logarithms of growth since the last [`Frame::restart`].
    pub(super) fn growth(&self) -> &[f64] {
        &self.growth
    }

    /// Count growth from here.
    pub(super) fn restart(&mut self) {
        self.growth.fill(0.0);
    }

    /// Record triangles from here on.
    pub(super) fn record(&mut self) {
        self.triangles = Some(vec![]);
    }

    /// The triangles since the last call, in the order of time.
    pub(super) fn take_triangles(&mut self) -> Vec<Vec<f64>> {
        self.triangles.replace(vec![]).unwrap_or_default()
    }

    /// Take the vectors after a step, without those that were lost.
    pub(super) fn accept(&mut self, turned: Turned) {
        let count = self.count();
        for (sum, grown) in self.growth.iter_mut().zip(turned.growth()) {
            *sum += grown.ln();
        }
        if let Some(recorded) = &mut self.triangles {
            let ordinary = |t: &[f64]| (0..count).all(|j| ORDINARY.contains(&t[j * count + j]));
            let joined = recorded.last().map(|last| product(&turned.triangle, last, count));
            match joined.filter(|joined| ordinary(joined)) {
                Some(joined) => recorded
                    .last_mut()
                    .into_iter()
                    .for_each(|last| last.clone_from(&joined)),
                None => recorded.push(turned.triangle.clone()),
            }
        }
        self.dim = turned.dim;
        self.vectors = turned.vectors;
        if turned.lost.is_empty() {
            return;
        }
        self.lost += turned.lost.len();
        let left = |j: &usize| !turned.lost.contains(j);
        self.vectors = (0..count)
            .filter(left)
            .flat_map(|j| self.vectors[j * self.dim..(j + 1) * self.dim].to_vec())
            .collect();
        self.growth = (0..count).filter(left).map(|j| self.growth[j]).collect();
        if self.triangles.is_some() {
            self.record();
        }
    }
}

/// `a b`, n×n row by row.
fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|k| (0..n).map(|i| a[k / n * n + i] * b[i * n + k % n]).sum())
        .collect()
}
