import { PaysessionError } from './paysession-error';

/** Why listening on a port failed: `PORT_IN_USE` where another program has it, with what to do about it; else as it was. */
export function toPortError(
  error: unknown,
  port: number,
  choose = 'Choose another port, or 0 for a free one,',
): unknown {
  if (!isInUse(error)) return error;
  const message = `Port ${port} is in use by another program. ${choose} or stop that program.`;
  return new PaysessionError('PORT_IN_USE', message, { cause: error });
}

function isInUse(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EADDRINUSE';
}
