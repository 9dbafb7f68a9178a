import { once } from 'node:events';
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { operatorOf, type ProxyAccess } from '../../../../console/access/access';
import { Browser, textOf } from '../../../support/console/access/browser';
import { consoleFor, csrfOf, GUARDED, onceOf, PUBLIC_URL } from '../../../support/console/guarded-console';

const ACCESS: ProxyAccess = {
  kind: 'proxy',
  ...GUARDED,
  proxies: ['10.1.0.0/16', '2001:db8::7'],
  userHeader: 'X-User',
  roleHeader: 'X-Roles',
};

const ROBIN = { 'x-user': 'robin', 'x-roles': 'other, act' };

function browserAt(address: string) {
  const subject = consoleFor(ACCESS, '0.0.0.0');
  return { ...subject, browser: new Browser(subject.app, PUBLIC_URL, address) };
}

describe('a trusted proxy', () => {
  test.each(['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::7'])('at %s names the user', async (address) => {
    const { browser } = browserAt(address);
    expect((await browser.get('/look', ROBIN)).body).toContain('robin operator');
  });

  test('names users in UTF-8 or in Latin-1', async () => {
    const name = Buffer.from('Zoé Émond').toString('latin1');
    const { body } = await browserAt('10.1.2.3').browser.get('/look', { ...ROBIN, 'x-user': name });
    expect(body).toContain('Zoé Émond operator');
    // This proxy writes Latin-1. Node reads the bytes of a header as Latin-1.
    const other = await browserAt('10.1.2.3').browser.get('/look', { ...ROBIN, 'x-user': 'Zoé Émond' });
    expect(other.body).toContain('Zoé Émond operator');
  });

  test('may send a long name, which is cut before an emoji, not inside it', () => {
    const { roleNames } = ACCESS;
    expect(operatorOf(`${'x'.repeat(199)}😀`, ['act'], roleNames)).toMatchObject({ name: 'x'.repeat(199) });
  });

  test.each([
    ['https://payments.example', true],
    ['http://127.0.0.1:4030', false],
  ])('in front of %s gets a language cookie with the attribute Secure: %p', async (publicUrl, isSecure) => {
    const { app } = consoleFor({ ...ACCESS, publicUrl }, '0.0.0.0');
    const browser = new Browser(app, publicUrl, '10.1.2.3');
    await browser.get('/language?to=FR', ROBIN);
    const [cookie] = browser.setCookies;
    expect(cookie).toMatch(/^language=FR; .*; HttpOnly; SameSite=Lax/);
    expect(cookie?.endsWith('; Secure')).toBe(isSecure);
  });

  test('lets an operator act', async () => {
    const { browser, acts } = browserAt('10.1.2.3');
    const csrf = csrfOf(await browser.get('/look', ROBIN));
    expect((await browser.post('/act', { csrf, once: onceOf('a') }, ROBIN)).statusCode).toBe(303);
    expect(acts).toEqual(['robin']);
  });
});

describe('a request is refused', () => {
  test.each(['127.0.0.1', '10.2.0.1', '2001:db8::8', '::ffff:10.2.0.1'])(
    'if it has a user header and comes from %s, which is not a trusted proxy',
    async (address) => {
      const { browser, acts } = browserAt(address);
      const look = await browser.get('/look', { ...ROBIN, 'x-forwarded-for': '10.1.2.3' });
      expect([look.statusCode, look.body.includes('robin')]).toEqual([403, false]);
      expect(textOf(look)).toContain('only be reached through its proxy');
      expect((await browser.post('/act', { once: onceOf('a') }, ROBIN)).statusCode).toBe(403);
      expect(acts).toEqual([]);
    },
  );

  test.each([
    ['no user', { 'x-roles': 'act' }],
    ['an empty user', { 'x-user': ' ', 'x-roles': 'act' }],
    ['an invisible user', { 'x-user': '\u00ad', 'x-roles': 'act' }],
    ['no roles', { 'x-user': 'robin' }],
    ['other roles', { 'x-user': 'robin', 'x-roles': 'actor, acting, ACT' }],
  ])('if the proxy names %s', async (_case, headers) => {
    expect((await browserAt('10.1.2.3').browser.get('/look', headers)).statusCode).toBe(403);
  });

  test.each([
    ['x-user', ['mallory', 'robin']],
    ['x-roles', ['act', 'look']],
  ])(
    'if it has the header %s twice, because a browser may have sent one of the two',
    async (name, values) => {
      const { app } = consoleFor({ ...ACCESS, proxies: ['127.0.0.1'] });
      await app.listen({ host: '127.0.0.1', port: 0 });
      try {
        const statusWith = async (headers: OutgoingHttpHeaders) => {
          const { port } = app.server.address() as AddressInfo;
          const own = { host: 'payments.example', ...ROBIN, ...headers };
          const [answer] = (await once(
            request({ host: '127.0.0.1', port, path: '/look', headers: own }).end(),
            'response',
          )) as [IncomingMessage];
          answer.resume();
          return answer.statusCode;
        };
        expect(await statusWith({})).toBe(200);
        expect(await statusWith({ [name]: values })).toBe(403);
      } finally {
        await app.close();
      }
    },
  );

  test('if a viewer sends a form, or an operator sends a form with another person’s token', async () => {
    const { browser, acts } = browserAt('10.1.2.3');
    const csrf = csrfOf(await browser.get('/look', ROBIN));
    for (const headers of [
      { ...ROBIN, 'x-roles': 'look' },
      { ...ROBIN, 'x-user': 'mallory' },
    ])
      expect((await browser.post('/act', { csrf, once: onceOf('a') }, headers)).statusCode).toBe(403);
    expect(acts).toEqual([]);
  });
});
