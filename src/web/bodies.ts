import type { FastifyRequest } from 'fastify';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../contract';
import { HttpProblem } from './problems';
import { isRecord } from '../contract/values/json';
import { decodeUtf8, NotUtf8Error } from '../contract/values/outside-text';

/** Request bodies arrive as bytes: errors of the body must come after errors of the caller (contract A6). */

/** Reads a JSON object (contract A20). Throws a 400, or `wrongContentTypeStatus` for another content type. */
export function readJsonObject(request: FastifyRequest, wrongContentTypeStatus: number): object {
  requireContentType(request, 'application/json', wrongContentTypeStatus);
  const value = parseJson(request);
  if (!isRecord(value)) {
    throw new HttpProblem(400, 'The request body must be a JSON object.');
  }
  return value;
}

/** Reads form fields (contract A1). Throws a 400, or `wrongContentTypeStatus` for another content type. */
export function readForm(request: FastifyRequest, wrongContentTypeStatus = 415): URLSearchParams {
  requireContentType(request, 'application/x-www-form-urlencoded', wrongContentTypeStatus);
  const text = textOf(request);
  if (!isUtf8Form(text)) throw new HttpProblem(400, 'The form’s fields are not UTF-8.');
  return new URLSearchParams(text);
}

/** A file of a form, as the browser sends it. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The fields of a form with a file. */
export interface FileForm {
  readonly fields: URLSearchParams;
  /** Absent if the reader has chosen no file. */
  readonly file?: SentFile;
}

/** Reads a form that has a file, `multipart/form-data`. Throws a 400, or a 415 for another content type. */
export async function readFileForm(request: FastifyRequest): Promise<FileForm> {
  requireContentType(request, 'multipart/form-data', 415);
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(bytesOf(request)), { headers }).formData().catch(() => {
    throw new HttpProblem(400, 'The form cannot be read.');
  });
  const fields = new URLSearchParams();
  let file: SentFile | undefined;
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.append(name, value);
    else if (value.name !== '') file = { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) };
  }
  return { fields, ...(file !== undefined && { file }) };
}

/** True if all escapes are UTF-8: `URLSearchParams` turns others into U+FFFD. A `%` that begins no escape is kept as it is. */
function isUtf8Form(text: string): boolean {
  try {
    decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** True if there is a body (contract A54). */
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

/** The body as text, without a byte order mark; throws the 400. */
function textOf(request: FastifyRequest): string {
  try {
    return decodeUtf8(bytesOf(request));
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
