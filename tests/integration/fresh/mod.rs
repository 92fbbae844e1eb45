//! Each way in which notes change, with a watcher and without: the very next answer is that of the settled index.

mod matrix;
mod roots;
mod told;
mod vectors;
mod waiting;
