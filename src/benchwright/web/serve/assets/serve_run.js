// A run that ends while its page is open: the page is loaded again, with the score.

const WAIT_MS = 1500; // until the server has read the finished run

document.addEventListener("runstate", ({ detail }) => {
  const before = document.getElementById("score").dataset.state;
  if (detail === "finished" && before !== "finished" && !location.hash) setTimeout(() => location.reload(), WAIT_MS);
});
