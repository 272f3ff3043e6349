// Loaded over https only: makes the page installable, and keeps the screen on at the table.

if ('serviceWorker' in navigator) navigator.serviceWorker.register('/service-worker.js').catch(() => {});

let lock = null;
async function keepAwake() {
  if (!document.body.classList.contains('at-table') || document.hidden || lock) return;
  try {
    lock = await navigator.wakeLock?.request('screen') ?? null;
    lock?.addEventListener('release', () => { lock = null; });
  } catch { /* the battery is low, or the browser does not want to */ }
}
document.addEventListener('visibilitychange', keepAwake);
keepAwake();
