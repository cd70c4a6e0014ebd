// What the report's reader knows of the page. In a report it is complete; here tasks are added as they arrive.

const META = JSON.parse(document.getElementById("meta").textContent);
