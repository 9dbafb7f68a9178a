import { HttpProblem } from '../../web/problems';

/** One answer for an unknown, a malformed and another client's session (contract A53). */
export function unknownSession(): HttpProblem {
  return new HttpProblem(404, 'There is no such session.');
}
