"""The recipe for Spark on the page about clusters gives the program's answers, on a JVM of this machine."""

import pyarrow as pa
import pyarrow.parquet as pq
from columns import answers_of_program, assert_same_bits, in_order_of_rays
from page import run_blocks


def test_the_recipe_answers_as_the_program_does(shared, tmp_path):
    run_blocks("Spark", shared)
    hits = in_order_of_rays(pq.read_table(shared / "hits"))
    rays = in_order_of_rays(pq.read_table(shared / "rays"))
    assert hits.select(rays.column_names) == rays
    expected = answers_of_program(shared / "plant.json", rays, tmp_path)
    # Spark has no unsigned integers.
    ids = {name: pa.int64() for name in ("geometry_id", "primitive_id")}
    signed = pa.schema([field.with_type(ids.get(field.name, field.type)) for field in expected.schema])
    assert_same_bits(hits, expected.cast(signed))
