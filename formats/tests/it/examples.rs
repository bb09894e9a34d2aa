//! Examples run to their end.

#[path = "../../examples/robot_depth.rs"]
mod robot_depth;

#[test]
fn a_robots_depth_camera_follows_its_joints() {
    robot_depth::main().unwrap();
}
