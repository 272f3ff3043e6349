// A file of games that is too large for the form is not sent: the browser says so at its field.

const input = document.getElementById('import-file');

input.addEventListener('change', () => {
  const most = Number(document.querySelector('meta[name=most-photo-bytes]').content);
  input.setCustomValidity(input.files[0]?.size > most ? input.dataset.tooLarge : '');
  input.reportValidity();
});
