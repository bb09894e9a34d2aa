"""Writes rays with the usual Parquet libraries, casts them, and reads the answers with each of these libraries.

    python3 .ci/writers.py target/release/raytwin FOLDER

The answers are compared with those to the same rays in an .npy. pyarrow, polars, duckdb and pandas must be installed. If pyspark is
installed, Spark also writes files.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet

RAYTWIN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
COUNT = 20_000
NUMBERS = ["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max"]
PASSED = ["label", "stamp", "amount", "is_first", "index"]
SCENE = {
    "raytwin": 1,
    "shapes": [
        {"type": "sphere", "center": [0, 0, 1], "radius": 0.5},
        {"type": "box", "center": [2, 0, 0.5], "half_extents": [0.5, 0.5, 0.5], "mask": 2},
        {"type": "cylinder", "start": [0, 2, 0], "end": [0, 2, 2], "radius": 0.25},
    ],
}


def table():
    """Returns the table of rays, with masks and other columns, some of them with nulls."""
    random = numpy.random.default_rng(14)
    rays = random.uniform(-3, 3, (COUNT, 8))
    rays[:, 6], rays[:, 7] = 0.0, numpy.inf
    index = numpy.arange(COUNT)
    columns = {name: rays[:, column] for column, name in enumerate(NUMBERS)}
    columns["t_max"] = pyarrow.array(rays[:, 7], mask=index % 3 == 0)
    columns["ray_mask"] = pyarrow.array(index % 4, pyarrow.int64())
    columns["label"] = pyarrow.array([f"ray {i % 100}" for i in index], pyarrow.string(), mask=index % 7 == 0)
    columns["stamp"] = pyarrow.array(index * 1_000_000, pyarrow.timestamp("us", tz="UTC"))
    columns["amount"] = pyarrow.array(index % 1000, pyarrow.int32()).cast(pyarrow.decimal128(12, 2))
    columns["is_first"] = pyarrow.array(index == 0)
    columns["index"] = pyarrow.array(index, pyarrow.int64())
    return pyarrow.table(columns), rays


def run(*arguments):
    subprocess.run([RAYTWIN, "query", "scene.json", *arguments, "-q", "--device", "cpu"], cwd=FOLDER, check=True)


def writers(rays):
    """Yields the name of each way to write a file, and a function that writes the file."""
    frame, pandas_frame = polars.from_arrow(rays), rays.to_pandas()
    for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
        yield f"pyarrow-{codec}", lambda path: pyarrow.parquet.write_table(rays, path, compression=codec)
    single = pyarrow.table({**{c: rays[c] for c in rays.column_names}, **{c: rays[c].cast("float32") for c in NUMBERS}})
    yield "pyarrow-float32", lambda path: pyarrow.parquet.write_table(single, path)
    split = {"use_dictionary": False, "column_encoding": {name: "BYTE_STREAM_SPLIT" for name in NUMBERS}}
    yield "pyarrow-split", lambda path: pyarrow.parquet.write_table(rays, path, **split)
    delta = {"use_dictionary": False, "column_encoding": {"ray_mask": "DELTA_BINARY_PACKED", "label": "DELTA_LENGTH_BYTE_ARRAY"}}
    yield "pyarrow-delta-v2", lambda path: pyarrow.parquet.write_table(rays, path, data_page_version="2.0", **delta)
    large = rays.set_column(rays.column_names.index("label"), "label", rays["label"].cast("large_string"))
    yield "pyarrow-large-string", lambda path: pyarrow.parquet.write_table(large, path)
    yield "polars", lambda path: frame.write_parquet(path)
    for codec in ["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"]:
        yield f"polars-{codec}", lambda path: frame.write_parquet(path, compression=codec, row_group_size=3000)
    duck = duckdb.connect()
    duck.execute("SET TimeZone = 'UTC'")
    duck.register("rays", rays)
    for options in ["", "COMPRESSION zstd", "COMPRESSION lz4_raw", "COMPRESSION gzip", "COMPRESSION brotli", "PARQUET_VERSION v2"]:
        name = "-".join(["duckdb", *options.lower().split()[-1:]])
        also = f", {options}" if options else ""
        yield name, lambda path: duck.execute(f"COPY rays TO '{path}' (FORMAT parquet{also})")
    for codec in [None, "snappy", "gzip", "zstd"]:
        yield f"pandas-{codec}", lambda path: pandas_frame.to_parquet(path, compression=codec)
    if importlib.util.find_spec("pyspark"):
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
        for codec in ["snappy", "gzip", "lz4", "zstd"]:
            write = spark.createDataFrame(pandas_frame).coalesce(1).write.option("compression", codec)
            yield f"spark-{codec}", lambda path: write.parquet(str(path))


def check(name, expected, rays):
    """Reads a file of answers with each library, and compares it with the expected arrays and the columns of the rays."""
    path = FOLDER / name
    path = next(path.glob("*.parquet")) if path.is_dir() else path
    readers = {
        "pyarrow": lambda: pyarrow.parquet.read_table(path),
        "polars": lambda: polars.read_parquet(path).to_arrow(),
        "duckdb": lambda: duckdb.sql(f"SELECT * FROM '{path}'").to_arrow_table(),
        "pandas": lambda: pyarrow.Table.from_pandas(pandas.read_parquet(path), preserve_index=False),
    }
    for reader, read in readers.items():
        answers = read()
        for column in ["t_hit", "geometry_id", "primitive_id"]:
            numbers = answers[column].to_numpy()
            assert numpy.array_equal(numbers, expected[column], equal_nan=True), f"{name}: {column} by {reader}"
        for column in PASSED:
            assert answers[column].to_pylist() == rays[column].to_pylist(), f"{name}: {column} by {reader}"


def main():
    (FOLDER / "scene.json").write_text(json.dumps(SCENE))
    rays, numbers = table()
    numpy.savez(FOLDER / "rays.npz", rays=numbers, ray_masks=rays["ray_mask"].to_numpy())
    run("rays.npz", "-o", "expected.npz")
    hits = numpy.load(FOLDER / "expected.npz")
    expected = {"t_hit": hits["t_hit"], "geometry_id": hits["geometry_ids"], "primitive_id": hits["primitive_ids"]}
    for name, write in writers(rays):
        write(FOLDER / f"{name}.parquet")
        is_folder = (FOLDER / f"{name}.parquet").is_dir()
        output = f"answers-{name}" if is_folder else f"answers-{name}.parquet"
        run(f"{name}.parquet", "-o", output, "--keep", "all")
        check(output, expected, rays)
        print(f"{name}: the answers are equal to those for the .npy")

    # The files of a partitioned folder have the same name.
    frame = polars.from_arrow(rays).with_columns(part=polars.col("index") % 3)
    frame.write_parquet(FOLDER / "parts", partition_by="part")
    run("parts", "-o", "answers-parts/", "--keep", "index")
    answers = pyarrow.parquet.read_table(FOLDER / "answers-parts").sort_by("index")
    assert numpy.array_equal(answers["t_hit"].to_numpy(), expected["t_hit"], equal_nan=True)
    print("a partitioned folder: the answers are equal to those for the .npy")

    # Arrays of other types and orders.
    image = numpy.stack([numbers[:, :6]] * 2).reshape(2, 100, COUNT // 100, 6)
    arrays = {"fortran": numpy.asfortranarray(numbers), "image": image, "fortran-image": numpy.asfortranarray(image)}
    for name, array in {**arrays, "big-endian": numbers.astype(">f8"), "single": numbers.astype("f4")}.items():
        numpy.save(FOLDER / f"{name}.npy", array)
        run(f"{name}.npy", "-o", f"answers-{name}.npz", "--kind", "count")
        numpy.save(FOLDER / "plain.npy", numpy.ascontiguousarray(array.reshape(-1, array.shape[-1]), "f4"))
        run("plain.npy", "-o", "plain.npz", "--kind", "count")
        counts = numpy.load(FOLDER / f"answers-{name}.npz")["intersections"]
        assert counts.shape == array.shape[:-1], name
        assert numpy.array_equal(counts.ravel(), numpy.load(FOLDER / "plain.npz")["intersections"]), name
        print(f"an .npy, {name}: the answers are equal to those for float32 in C order")


main()
