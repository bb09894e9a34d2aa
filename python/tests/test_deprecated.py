"""Old names warn, and do what the new names do."""

import pytest
import raytwin


@pytest.fixture
def scene():
    scene = raytwin.Scene()
    scene.add_spheres([[0, 0, 5]], 1.0)
    return scene


def test_old_names_of_a_scene_and_a_tracer_warn_and_work(scene):
    with pytest.warns(DeprecationWarning, match="Scene.census is now Scene.type_counts"):
        assert scene.census == scene.type_counts == {"sphere": 1}
    with pytest.warns(DeprecationWarning, match="fit_camera"):
        assert scene.camera_that_sees_all((64, 48)) == scene.fit_camera((64, 48))
    tracer = raytwin.Tracer(scene, device="cpu")
    with pytest.warns(DeprecationWarning, match="compute_path_lengths"):
        assert tracer.compute_paths([0, 0, 0, 0, 0, 1]).path_lengths == [2.0]
    with pytest.warns(DeprecationWarning, match="generate_rays"):
        assert (tracer.sampled_rays(rays=9, seed=3) == tracer.generate_rays(rays=9, seed=3)).all()


def test_the_old_name_of_a_class_method_works_on_the_class(scene):
    cloud = raytwin.Tracer(scene, device="cpu").scan("VLP-16", poses=[[0, 0, 0, 0, 0, 0, 1]])
    with pytest.warns(DeprecationWarning, match="Cloud.concatenate"):
        joined = raytwin.Cloud.joined([cloud, cloud])
    assert len(joined.points) == 2 * len(cloud.points)
