"""CodeBLEU: likeness of code by n-grams, syntax and data flow (Ren et al., 2020, arXiv:2009.10297)."""
