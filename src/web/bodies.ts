import type { FastifyRequest } from 'fastify';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../contract';
import { HttpProblem } from './problems';
import { isRecord } from '../contract/values/json';
import { decodeUtf8, NotUtf8Error } from '../contract/values/outside-text';

// Reads the bodies of requests. Fastify passes bodies as bytes, and routes parse them here, after they have checked the
// caller: a 401 must come before a 400 (contract rule A6, docs/contract.md).

/**
 * Reads a body that must be a JSON object (contract A20). Throws an `HttpProblem` 400. If the content type is wrong, its status is
 * `wrongContentTypeStatus`.
 */
export function readJsonObject(request: FastifyRequest, wrongContentTypeStatus: number): object {
  requireContentType(request, 'application/json', wrongContentTypeStatus);
  const value = parseJson(request);
  if (!isRecord(value)) {
    throw new HttpProblem(400, 'The request body must be a JSON object.');
  }
  return value;
}

/**
 * Reads the fields of a form (contract A1). Throws an `HttpProblem` 400. If the content type is wrong, its status is
 * `wrongContentTypeStatus`.
 */
export function readForm(request: FastifyRequest, wrongContentTypeStatus = 415): URLSearchParams {
  requireContentType(request, 'application/x-www-form-urlencoded', wrongContentTypeStatus);
  const text = textOf(request);
  if (!isUtf8Form(text)) throw new HttpProblem(400, 'The form’s fields are not UTF-8.');
  return new URLSearchParams(text);
}

/** A file in a form, as the browser has sent it. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The fields of a form with a file. */
export interface FileForm {
  readonly fields: URLSearchParams;
  /** Absent if the user has chosen no file. */
  readonly file?: SentFile;
}

/** The maximum number of parts of a form with a file. */
const MOST_PARTS = 20;

/**
 * Reads a form with a file: `multipart/form-data` as browsers send it (RFC 7578). Throws an `HttpProblem` 400, or 415 if the content type
 * is wrong.
 */
export function readFileForm(request: FastifyRequest): FileForm {
  requireContentType(request, 'multipart/form-data', 415);
  const { 'content-type': type = '' } = request.headers;
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw unreadableForm();
  const fields = new URLSearchParams();
  let file: SentFile | undefined;
  for (const { name, fileName, bytes } of partsOf(bytesOf(request), boundary)) {
    if (fileName === undefined) fields.append(name, utf8Of(bytes));
    else if (fileName !== '') file = { name: fileName, bytes };
  }
  return { fields, ...(file !== undefined && { file }) };
}

interface FormPart {
  readonly name: string;
  /** The file's name. Empty if the user has chosen no file. `undefined` if the field is not for files. */
  readonly fileName: string | undefined;
  readonly bytes: Buffer;
}

function partsOf(body: Buffer, boundary: string): readonly FormPart[] {
  const parts: FormPart[] = [];
  const between = `\r\n--${boundary}`;
  let from = body.indexOf(between.slice(2)) === 0 ? between.length - 2 : -1;
  while (from >= 0) {
    const mark = body.toString('latin1', from, from + 2);
    if (mark === '--') return parts;
    const head = body.indexOf('\r\n\r\n', from);
    const end = head < 0 ? -1 : body.indexOf(between, head + 2);
    if (mark !== '\r\n' || end < 0 || parts.length === MOST_PARTS) break;
    parts.push({ ...namesIn(utf8Of(body.subarray(from, head))), bytes: body.subarray(head + 4, end) });
    from = end + between.length;
  }
  throw unreadableForm();
}

const unreadableForm = (): HttpProblem => new HttpProblem(400, 'The form cannot be read.');

function namesIn(head: string): Pick<FormPart, 'name' | 'fileName'> {
  const [, values] = /^content-disposition:\s*form-data(;.*)$/im.exec(head) ?? [];
  const [, name] = /;\s*name="([^"]*)"/i.exec(values ?? '') ?? [];
  const [, fileName] = /;\s*filename="([^"]*)"/i.exec(values ?? '') ?? [];
  if (name === undefined) throw unreadableForm();
  // Browsers escape only quotes and line breaks.
  return { name, fileName: fileName?.replace(/%(?:22|0d|0a)/gi, (escape) => decodeURIComponent(escape)) };
}

/**
 * True if all escapes are UTF-8. `URLSearchParams` itself would replace other escapes by U+FFFD. A `%` that begins no escape is allowed.
 */
function isUtf8Form(text: string): boolean {
  try {
    decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** True if the request has a body (contract A54). */
export function hasBody(request: FastifyRequest): boolean {
  return bytesOf(request).length > 0;
}

function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function requireContentType(request: FastifyRequest, expected: string, wrongContentTypeStatus: number): void {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== expected) {
    throw new HttpProblem(wrongContentTypeStatus, `The content type must be ${expected}.`);
  }
}

/** Returns the body as text, without a byte order mark. Throws an `HttpProblem` 400 if the body is not UTF-8. */
const textOf = (request: FastifyRequest): string => utf8Of(bytesOf(request));

function utf8Of(bytes: Buffer): string {
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    if (error instanceof NotUtf8Error) throw new HttpProblem(400, `The request body ${error.message}.`);
    throw error;
  }
}

function parseJson(request: FastifyRequest): unknown {
  if (isNestedTooDeeply(bytesOf(request))) {
    throw new HttpProblem(
      400,
      `The request body is nested too deeply: at most ${MAX_JSON_DEPTH} levels are allowed.`,
    );
  }
  const text = textOf(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'The request body is not well-formed JSON.');
  }
}
