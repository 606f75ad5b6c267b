#[gravel::overlap]
struct Field {
    values: Vec<f64>,
}

fn main() {}
