//! Each kind of change, with a watcher and without: the very next answer equals that of the settled index.

mod matrix;
mod roots;
mod told;
mod vectors;
mod waiting;
