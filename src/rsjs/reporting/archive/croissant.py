"""
Cards of a data package: Croissant 1.0 (MLCommons, JSON-LD) and `.zenodo.json`.

A card names each table with its sha256, and each of its columns with type and meaning; of files
that are many, the pattern of their names. `mlcroissant validate --jsonld croissant.json` reads it.
Zenodo takes `.zenodo.json` before a CITATION.cff: that of the data stands in their folder only, and
the record of the code follows CITATION.cff.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LICENCE = "https://creativecommons.org/licenses/by/4.0/"
CREATOR = "The RSJS-Bench developers"
KEYWORDS = ("scheduling", "GPU clusters", "benchmark", "mixed-integer programming")
TYPES = {str: "sc:Text", int: "sc:Integer", float: "sc:Float", bool: "sc:Boolean"}
JSON_VALUED = {"@type": "@json"}
TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject"),
    *("fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField"),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
CONTEXT = {  # as the specification has it
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "data": {"@id": "cr:data", **JSON_VALUED},
    "examples": {"@id": "cr:examples", **JSON_VALUED},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{term: f"cr:{term}" for term in TERMS},
    "conformsTo": "dct:conformsTo",
}


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """A table of the package."""

    file: str  # below the folder of the package
    name: str  # of the record set
    text: str  # what a row is
    columns: Mapping[str, type]  # of each column the type of its values, see `TYPES`
    meanings: Mapping[str, str]  # of some columns

    @property
    def encoding(self) -> str:
        """The media type."""
        return "application/x-parquet" if self.file.endswith(".parquet") else "text/csv"


def croissant(
    about: Mapping[str, str],
    tables: Sequence[TableFile],
    others: Mapping[str, str],
    sums: Mapping[str, str],
) -> dict[str, Any]:
    """
    Return the card of a package.

    Parameters
    ----------
    about : mapping
        name, description, version, date (ISO 8601) and, if there is one, url.
    others : mapping
        Pattern of further files -> what they are.
    sums : mapping
        sha256 of the files of the tables.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": about["name"],
        "description": about["description"],
        "license": LICENCE,
        **({"url": about["url"]} if "url" in about else {}),
        "version": about["version"],
        "datePublished": about["date"],
        "creator": {"@type": "sc:Organization", "name": CREATOR},
        "keywords": [*KEYWORDS],
        "citeAs": f"{CREATOR}. {about['name']}, version {about['version']}. {about['date'][:4]}.",
        "isLiveDataset": False,
        "distribution": [
            *(
                {
                    "@type": "cr:FileObject",
                    "@id": table.file,
                    "name": table.file,
                    "description": table.text,
                    "contentUrl": table.file,
                    "encodingFormat": table.encoding,
                    "sha256": sums[table.file],
                }
                for table in tables
            ),
            *(
                {
                    "@type": "cr:FileSet",
                    "@id": pattern,
                    "name": pattern,
                    "description": text,
                    "encodingFormat": _encoding(pattern),
                    "includes": pattern,
                }
                for pattern, text in others.items()
            ),
        ],
        "recordSet": [_record_set(table) for table in tables],
    }


def _encoding(pattern: str) -> str:
    kinds = {".gz": "application/gzip", ".jsonl": "application/jsonlines", ".csv": "text/csv"}
    return next(kind for ending, kind in kinds.items() if pattern.endswith(ending))


def _record_set(table: TableFile) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.text,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{table.name}/{column}",
                "name": f"{table.name}/{column}",
                "description": table.meanings.get(column, column.replace("_", " ")),
                "dataType": TYPES[kind],
                "source": {"fileObject": {"@id": table.file}, "extract": {"column": column}},
            }
            for column, kind in table.columns.items()
        ],
    }


def zenodo(about: Mapping[str, str]) -> dict[str, Any]:
    """Return what Zenodo records of a package."""
    return {
        "upload_type": "dataset",
        "title": f"{about['name']} {about['version']}",
        "description": f"<p>{about['description']}</p>",
        "creators": [{"name": CREATOR}],
        "license": "cc-by-4.0",
        "access_right": "open",
        "version": about["version"],
        "keywords": [*KEYWORDS],
        **(
            {
                "related_identifiers": [
                    {"identifier": about["url"], "relation": "isCompiledBy", "scheme": "url"}
                ]
            }
            if "url" in about
            else {}
        ),
    }
