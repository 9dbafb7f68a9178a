/** Routes of the control port. */
export const CONTROL_ROUTES = {
  index: { method: 'GET', path: '/', summary: 'lists these requests' },
  readClock: { method: 'GET', path: '/clock', summary: 'the time by the sandbox’s clock' },
  advanceClock: { method: 'POST', path: '/clock/advance', summary: 'moves the clock ahead' },
  listFaults: { method: 'GET', path: '/faults', summary: 'the failures that have not happened yet' },
  armFault: { method: 'POST', path: '/faults', summary: 'makes the next calls of a route fail' },
  clearFaults: {
    method: 'DELETE',
    path: '/faults',
    summary: 'removes every failure that has not happened yet',
  },
  listHolds: { method: 'GET', path: '/holds', summary: 'the holds' },
  hold: { method: 'POST', path: '/holds', summary: 'makes the next call of a route wait' },
  readHold: {
    method: 'GET',
    path: '/holds/:holdId',
    summary: 'a hold; with ?waitMs=, waits up to that long for a call to reach it',
  },
  release: {
    method: 'DELETE',
    path: '/holds/:holdId',
    summary: 'lets the call continue, and removes the hold',
  },
  listCalls: {
    method: 'GET',
    path: '/calls',
    summary: 'the calls received; with ?sessionId= those of one session',
  },
  readSession: {
    method: 'GET',
    path: '/sessions/:sessionId',
    summary: 'a session, as its merchant would see it',
  },
  act: {
    method: 'POST',
    path: '/sessions/:sessionId/events',
    summary: 'applies an event of the payor, a cancellation or an expiry',
  },
  play: {
    method: 'POST',
    path: '/sessions/:sessionId/play',
    summary: 'does what a button of the session’s page in the sandbox does',
  },
  money: {
    method: 'POST',
    path: '/sessions/:sessionId/money',
    summary:
      'settles a paid session now, or returns its money; answers with its lines of the reconciliation files',
  },
  reconciliation: {
    method: 'GET',
    path: '/reconciliation',
    summary: 'the reconciliation file of ?day=, as CSV; with ?clientId= of one client',
  },
  revokeTokens: { method: 'DELETE', path: '/tokens', summary: 'makes every token issued so far invalid' },
} as const;
