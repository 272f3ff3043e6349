// A photo or file that is dropped beside its field: the browser would open it, and leave the page.

for (const type of ['dragover', 'drop']) {
  window.addEventListener(type, (event) => {
    if (!event.target.matches?.('input[type=file]') && event.dataTransfer.types.includes('Files')) event.preventDefault();
  });
}
