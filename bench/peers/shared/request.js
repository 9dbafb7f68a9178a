/**
 * Returns the request of a session. All sessions are for the same payment; only the reference differs.
 *
 * @param {string} referenceId
 * @returns {import('../../../dist/src/index.js').SessionRequest}
 */
export const requestOf = (referenceId) => ({
  type: 'EFT',
  direction: 'DEBIT',
  amount: 25,
  referenceId,
  options: { guarantee: { enable: false } },
  payor: { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' },
});
