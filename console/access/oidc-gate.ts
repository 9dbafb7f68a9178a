import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameOf } from '../../src/errors';
import { html } from '../../src/web/html';
import { sendBarePage } from '../http/bare-page';
import { languageOf } from '../http/language';
import { Refusal } from '../http/refusal';
import { textsOf } from '../texts';
import { safePath, queryOf } from '../http/paths';
import { type OidcAccess, operatorOf } from './access';
import { among, clientAddress, LoginLimit } from './addresses';
import { Logins } from './logins';
import { ProviderFault } from './provider-fault';
import { type Claims, Provider } from './oidc-provider';
import { OPEN, readerOf, type Gate, type GateEvents } from './reader';
import { isRecord } from '../../src/contract/values/json';

/** Admits people who log in at an identity provider and have a role there. */
export function oidcGate(access: OidcAccess, { log, loggedOut }: GateEvents): Gate {
  const logins = new Logins(access);
  const provider = new Provider(access);
  const limit = new LoginLimit();
  const isProxy = among(access.proxies);

  const countTry = (request: FastifyRequest): void => {
    const waitSeconds = limit.waitSeconds(clientAddress(request, isProxy));
    if (waitSeconds !== undefined) throw new Refusal('tooManyLogins', { 'retry-after': String(waitSeconds) });
  };

  /** Logs why a login failed, and throws the error again. */
  const refuse = (error: Error): never => {
    const why = error.cause instanceof ProviderFault ? error.cause.message : nameOf(error);
    log({ operator: undefined, act: 'login', result: `failed ${why}` });
    throw error;
  };

  const logIn = async (request: FastifyRequest, reply: FastifyReply) => {
    countTry(request);
    const { url, attempt } = await provider.begin().catch(refuse);
    const to = safePath(queryOf(request).get('to') ?? undefined);
    return reply.header('set-cookie', await logins.beginAttempt(request, attempt, to)).redirect(url, 303);
  };

  const comeBack = async (request: FastifyRequest, reply: FastifyReply) => {
    countTry(request);
    const state = queryOf(request).get('state') ?? '';
    const { nonce, codeVerifier, to } = (await logins.attemptOf(request, state)) ?? {};
    if (nonce === undefined || codeVerifier === undefined) {
      // There is no such attempt. Usually the login has already succeeded, and the browser repeats the callback.
      if ((await logins.visitorOf(request)) !== undefined) return reply.redirect('/', 303);
      log({ operator: undefined, act: 'login', result: 'failed noAttempt' });
      throw new Refusal('loginFailed');
    }
    // An attempt is valid for one answer of the provider, even if the login fails.
    reply.header('set-cookie', logins.endAttempt(state));
    const claims = await provider.finish(queryOf(request), { state, nonce, codeVerifier }).catch(refuse);
    const operator = operatorOfClaims(claims, access);
    if (typeof operator === 'string') {
      log({ operator: undefined, act: 'login', result: operator });
      throw new Refusal(operator);
    }
    log({ operator, act: 'login', result: 'done' });
    return reply.header('set-cookie', await logins.begin(operator)).redirect(safePath(to), 303);
  };

  const logOut = (request: FastifyRequest, reply: FastifyReply) => {
    const { operator, loginId } = readerOf(request);
    loggedOut(loginId);
    log({ operator, act: 'logout', result: 'done' });
    return reply.header('set-cookie', logins.end(loginId)).redirect('/logged-out', 303);
  };

  return {
    visitorOf: (request) => logins.visitorOf(request),
    addRoutes: (app) => {
      app.get('/login', OPEN, logIn);
      app.get('/login/callback', OPEN, comeBack);
      app.get('/logged-out', OPEN, sendLoggedOut);
      app.post('/logout', { config: { isForViewers: true } }, logOut);
    },
  };
}

function sendLoggedOut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request);
  const { loggedOut, logIn } = textsOf(language).answers;
  const content = html`<p><a href="/login">${logIn}</a></p>`;
  return sendBarePage(reply, language, { title: loggedOut, content });
}

const NAME_CLAIMS = ['preferred_username', 'email', 'sub'];

/** Returns the person that the claims describe. Without a role or a name, returns `noRole` or `noName`. */
function operatorOfClaims(claims: Claims, access: OidcAccess): ReturnType<typeof operatorOf> {
  const { nameClaim, roleClaim, roleNames } = access;
  const names = (nameClaim === undefined ? NAME_CLAIMS : [nameClaim]).map((claim) => valueAt(claims, claim));
  const name = names.find((value): value is string => typeof value === 'string' && value !== '');
  return operatorOf(name, listed(valueAt(claims, roleClaim)), roleNames);
}

/**
 * Returns the claim whose name is the whole `path`. If there is none, takes `path` as names separated by dots. The whole name comes first,
 * because some providers use URLs as names, and URLs contain dots.
 */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      claims,
    );
}

function listed(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(/[\s,]+/);
  return Array.isArray(value) ? value.filter((role): role is string => typeof role === 'string') : [];
}
