"""Curation of gold annotation: check, repair, describe, agree, adjudicate, suspects."""
