"use strict";
// Tables sort by a click (or Enter) on a column's head: numbers by their
// value, missing ones last; once more turns the order.
for (const table of document.querySelectorAll("table.sortable")) {
	const heads = [...table.tHead.rows[0].cells];
	heads.forEach((head, column) => {
		const sort = () => {
			const down = head.getAttribute("aria-sort") === "ascending";
			heads.forEach((h) => h.removeAttribute("aria-sort"));
			head.setAttribute("aria-sort", down ? "descending" : "ascending");
			const body = table.tBodies[0];
			const rows = [...body.rows].map((row) => {
				const cell = row.cells[column], key = cell.dataset.key;
				return { row, key: key === undefined ? cell.textContent : key === "" ? NaN : Number(key) };
			});
			rows.sort((a, b) => {
				if (typeof a.key === "string") return (down ? -1 : 1) * a.key.localeCompare(b.key);
				if (isNaN(a.key) || isNaN(b.key)) return isNaN(a.key) - isNaN(b.key);
				return (down ? -1 : 1) * (a.key - b.key);
			});
			rows.forEach((r) => body.append(r.row));
		};
		head.addEventListener("click", sort);
		head.addEventListener("keydown", (e) => { if (e.key === "Enter") sort(); });
	});
}

// What a link leads to may be folded away.
const unfold = () => {
	const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
	if (!target) return;
	for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
	target.scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
};
addEventListener("hashchange", unfold);
unfold();

// A filter shows the rows that have all of its words, whole ones if numbers.
for (const input of document.querySelectorAll("input.filter")) {
	const rows = [...input.closest("details").querySelector("tbody").rows];
	input.addEventListener("input", () => {
		const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		for (const row of rows) {
			const cells = [...row.cells].map((c) => c.textContent.toLowerCase());
			row.hidden = !words.every((w) => cells.some((c) => (/^[0-9]+$/.test(w) ? c === w : c.includes(w))));
		}
	});
}
