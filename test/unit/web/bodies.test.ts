import { describe, expect, test } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { readFileForm, readForm, readJsonObject } from '../../../src/web/bodies';

const request = (type: string, body: string | Uint8Array) =>
  ({ headers: { 'content-type': type }, body: Buffer.from(body) }) as unknown as FastifyRequest;
const json = (body: string | Uint8Array) => readJsonObject(request('application/json', body), 415);
const form = (body: string | Uint8Array) =>
  Object.fromEntries(readForm(request('application/x-www-form-urlencoded', body), 415));

describe('a request body of JSON', () => {
  test('may begin with a byte order mark', () => {
    expect(json('\ufeff{"name":"Chloé"}')).toEqual({ name: 'Chloé' });
  });

  test.each([
    ['is not UTF-8', Buffer.from('{"name":"Chlo\xe9"}', 'latin1'), 'is not UTF-8 in line 1'],
    ['ends within a character', Buffer.from('{"name":"Chloé').subarray(0, -1), 'is not UTF-8 in line 1'],
    ['is UTF-16', Buffer.from('{"name":"Chloé"}', 'utf16le'), 'is UTF-16'],
  ])('is refused with the reason if it %s', (_what, body, why) => {
    expect(() => json(body)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(why) }),
    );
  });
});

describe('a submitted form', () => {
  test.each([
    ['name=Chlo%C3%A9&by=B%c3%a9a+B', { name: 'Chloé', by: 'Béa B' }],
    ['name=Chloé', { name: 'Chloé' }],
    ['share=100%&part=%4', { share: '100%', part: '%4' }],
    ['lost=%EF%BF%BD', { lost: '\ufffd' }],
    ['', {}],
  ])('is read from the body %j', (body, fields) => {
    expect(form(body)).toEqual(fields);
    expect(form(`\ufeff${body}`)).toEqual(fields);
  });

  test.each([
    ['name=Chlo%E9', 'The form’s fields are not UTF-8.'],
    ['name=%93quoted%94', 'The form’s fields are not UTF-8.'],
    ['%E9=name', 'The form’s fields are not UTF-8.'],
    ['name=%C3&by=%A9', 'The form’s fields are not UTF-8.'],
    ['name=%ED%A0%80', 'The form’s fields are not UTF-8.'],
    [Buffer.from('name=Chlo\xe9', 'latin1'), 'The request body is not UTF-8 in line 1.'],
    [Buffer.from('name=Chloé', 'utf16le'), 'The request body is UTF-16, not UTF-8.'],
  ])('is refused with the body %p', (body, message) => {
    expect(() => form(body)).toThrow(expect.objectContaining({ status: 400, message }));
  });
});

describe('a submitted form with a file', () => {
  const TYPE = 'multipart/form-data; boundary=----WebKit7';
  const part = (names: string, content: string) =>
    `------WebKit7\r\nContent-Disposition: form-data; ${names}\r\n\r\n${content}\r\n`;
  const END = '------WebKit7--\r\n';
  const sent = (body: string | Uint8Array, type = TYPE) => {
    const { fields, file } = readFileForm(request(type, body));
    return {
      fields: Object.fromEntries(fields),
      ...(file && { file: { ...file, bytes: Buffer.from(file.bytes).toString('latin1') } }),
    };
  };

  test('is read: its fields as text, and its file byte for byte', () => {
    const head =
      part('name="csrf"', 'Chloé') + part('name="file"; filename="a %22b%22.csv"', '').slice(0, -2);
    const body = Buffer.concat([
      Buffer.from(head),
      Buffer.from([0, 0xe9, 13, 10]),
      Buffer.from('--other\r\n\r\n'),
      Buffer.from(`\r\n${END}`),
    ]);
    expect(sent(body)).toEqual({
      fields: { csrf: 'Chloé' },
      file: { name: 'a "b".csv', bytes: '\0\xe9\r\n--other\r\n\r\n' },
    });
    expect(sent(part('name="a"', 'b') + END, 'Multipart/Form-Data; boundary="----WebKit7"')).toEqual({
      fields: { a: 'b' },
    });
  });

  test('may have 20 parts', () => {
    expect(sent(part('name="a"', 'b').repeat(20) + END)).toEqual({ fields: { a: 'b' } });
  });

  test('is read without a file if no file was chosen', () => {
    expect(sent(part('name="file"; filename=""', '') + END)).toEqual({ fields: {} });
  });

  test.each([
    ['no boundary in its type', part('name="a"', 'b') + END, 'multipart/form-data; boundary='],
    ['another boundary', '--other--\r\n', TYPE],
    ['no end', part('name="a"', 'b'), TYPE],
    ['a part without a name', part('filename="a"', 'b') + END, TYPE],
    ['a part that is not UTF-8', Buffer.from(part('name="a"', '\xe9') + END, 'latin1'), TYPE],
    ['21 parts', part('name="a"', 'b').repeat(21) + END, TYPE],
    ['an empty body', '', TYPE],
  ])('with %s is refused', (_what, body, type) => {
    expect(() => sent(body, type)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
