// Tables that can be sorted by their headers.

const part = (id) => document.getElementById(id);
makeSortable();
