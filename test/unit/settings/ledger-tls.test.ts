import { expect, test } from '@jest/globals';
import { isTlsLeftOpen } from '../../../src/settings/postgres-url';

test.each([
  ['postgresql://me:secret@db.example/paysession', true],
  ['postgresql://me:secret@10.1.2.3:5432/paysession?application_name=x', true],
  ['postgresql://me:secret@[2001:db8::1]/paysession', true],
  ['postgresql://me:secret@db.example/paysession?sslmode=verify-full', false],
  ['postgresql://me:secret@db.example/paysession?sslmode=disable', false],
  ['postgresql://me:secret@db.example/paysession?ssl=true', false],
  ['postgresql://me:secret@db.example/paysession?sslrootcert=/ca.pem', false],
  ['postgresql://me:secret@localhost/paysession', false],
  ['postgresql://me:secret@127.0.0.1:5433/paysession', false],
  ['postgresql://me:secret@[::1]/paysession', false],
  ['postgresql:///paysession?host=/run/postgresql', false],
  ['postgresql://%2Frun%2Fpostgresql/paysession', false],
  ['postgresql:///paysession?host=db.example', true],
  ['postgresql://localhost/paysession?host=db.example', true],
  ['postgresql://db.example/paysession?host=127.0.0.1', false],
])('the URL %s names a remote ledger, but not whether to use TLS: %s', (url, isOpen) => {
  expect(isTlsLeftOpen({ url })).toBe(isOpen);
});
