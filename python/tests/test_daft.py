"""The recipe for Daft on the page about clusters gives the program's answers."""

import pyarrow.parquet as pq
from columns import answers_of_program, assert_same_bits, in_order_of_rays
from page import run_blocks


def test_the_recipe_answers_as_the_program_does(shared, tmp_path):
    run_blocks("Daft", shared)
    hits = in_order_of_rays(pq.read_table(shared / "hits"))
    rays = in_order_of_rays(pq.read_table(shared / "rays"))
    assert hits.select(rays.column_names) == rays
    assert_same_bits(hits, answers_of_program(shared / "plant.json", rays, tmp_path))
