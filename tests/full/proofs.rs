//! A device without a fault passes the proof. The program's tests of its report run the proof, too.

use crate::common::*;
use crate::proof::proof;
use raytwin_verify::Limits;
use raytwin_verify::proof::{CanonicalHash, ProofRun};

#[test]
fn a_right_device_passes() {
    let run = ProofRun::to_the_end(&gpu(), proof(), None).unwrap();
    let [canonical, exact] = run.canonical_hashes();
    assert_eq!(run.outcome().failures(&Limits::default()), [""; 0], "{:#?}", run.outcome().worst());
    assert_eq!(run.progress(), [run.proof().len(); 2]);
    assert_eq!(canonical.to_string(), exact.to_string());
    assert_eq!(CanonicalHash::exact(run.proof()).unwrap().to_string(), exact.to_string());
}
