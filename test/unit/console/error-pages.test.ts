import { afterAll, describe, expect, test } from '@jest/globals';
import { PaysessionError, isErrorCode } from '../../../src/errors';
import { HttpProblem } from '../../../src/web/problems';
import { consoleFor } from '../../support/console/guarded-console';
import { look } from '../../support/console/session-page';

const { app } = consoleFor({ kind: 'local', operator: { name: 'robin', role: 'operator' } });

app.get('/fails/:code', ({ params }) => {
  const { code } = params as { readonly code: string };
  if (isErrorCode(code))
    throw new PaysessionError(code, 'Session order-1 did not work. Try `paysession list`.');
  throw new HttpProblem(400, 'The form has no id.');
});

afterAll(() => app.close());

describe('the page of an error', () => {
  test('shows the error’s message, with its commands marked up', async () => {
    const { statusCode, body, text } = await look(app, '/fails/SESSION_NOT_FOUND');
    expect(statusCode).toBe(404);
    expect(body).toContain('Session order-1 did not work. Try <code>paysession list</code>.');
    expect(text).toContain('SESSION_NOT_FOUND');
  });

  test.each([
    ['SESSION_NOT_FOUND', 404, 'Aucune session de paiement n’a cette clé. Vérifiez la clé'],
    ['TEMPORAL_BUSY', 503, 'Le serveur Temporal est surchargé'],
    ['WORKER_UNAVAILABLE', 503, 'Aucun worker n’a répondu à temps. Démarrez-en un'],
    ['INVALID_FILTER', 400, 'Un filtre de la liste est mal formé'],
  ])('says in French what %s means and what to do', async (code, status, words) => {
    const { statusCode, text } = await look(app, `/fails/${code}`, 'fr');
    expect(statusCode).toBe(status);
    expect(text).toContain(words);
    expect(text).toContain(code);
    expect(text).not.toContain('did not work');
  });

  test.each(['TEMPORAL_UNAVAILABLE', 'TEMPORAL_BUSY', 'WORKER_UNAVAILABLE'])(
    'reloads by itself after %s, but not after an error such as INVALID_FILTER',
    async (code) => {
      expect((await look(app, `/fails/${code}`)).body).toContain('data-retries');
      expect((await look(app, '/fails/INVALID_FILTER')).body).not.toContain('data-retries');
    },
  );

  test('says that there is no such session if the key is unused', async () => {
    expect((await look(app, '/fails/SESSION_NOT_FOUND')).body).toContain('<h1>No such session</h1>');
    const { body } = await look(app, '/fails/SESSION_NOT_FOUND', 'fr');
    expect(body).toContain('<h1>Session introuvable</h1>');
  });

  test('marks a text as English if it has no French version', async () => {
    const { body } = await look(app, '/fails/FOLDER_IN_USE', 'fr');
    expect(body).toContain('<span lang="en">Another sandbox is using the data folder.');
  });

  test('for an unreadable form is in the reader’s language', async () => {
    expect((await look(app, '/fails/none')).text).toContain('The form has no id.');
    expect((await look(app, '/fails/none', 'fr')).text).toContain('La requête ne peut pas être lue.');
  });
});
