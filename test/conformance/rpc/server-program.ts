/**
 * The server under test, which the suite starts: it reads what to serve from its input, and writes where it serves.
 * Its argument is the file with the suite's descriptors.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { dialectsOf } from '../../../src/dialects/kernel/detect.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { serveDialects } from '../../support/served-api.ts';
import { delimited, writeDelimited } from '../delimited.ts';
import { readApi, suitePackage } from './descriptors.ts';
import { createService } from './service.ts';

/** The suite's ServerCompatRequest. */
interface Wanted {
  readonly useTls: boolean;
  readonly clientTlsCert: Uint8Array;
  readonly messageReceiveLimit: number;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array };
}

const described = readApi(process.argv[2] as string);
const { value: message } = await delimited(process.stdin, 'highest first').next();
if (!message) throw new Error('the suite has sent no request');
const wanted = fromBinary(described.messageOf(`${suitePackage}.ServerCompatRequest`), message) as unknown as Wanted;
const { serverCreds, messageReceiveLimit } = wanted;

const folder = mkdtempSync(join(tmpdir(), 'rpc-conformance-'));
const fileOf = (name: string, content: Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const tls = wanted.useTls &&
  serverCreds && {
    cert: fileOf('cert.pem', serverCreds.cert),
    key: fileOf('key.pem', serverCreds.key),
    clientCa: wanted.clientTlsCert.length > 0 ? fileOf('client.pem', wanted.clientTlsCert) : undefined,
  };
const { protocol, answer, admit } = createService(described);
const { list, extensions } = createDialects();
const { port } = await serveDialects(dialectsOf(list, [...extensions, protocol]), answer, {
  listen: tls ? { tls } : {},
  limits: messageReceiveLimit > 0 ? { body: messageReceiveLimit } : {},
  admit,
});
rmSync(folder, { recursive: true });

const answerType = described.messageOf(`${suitePackage}.ServerCompatResponse`);
const served = { host: '127.0.0.1', port, ...(tls && { pemCert: serverCreds?.cert }) };
writeDelimited(
  process.stdout,
  'highest first',
  toBinary(answerType, create(answerType, served as Record<string, unknown>)),
);
process.once('SIGTERM', () => process.exit());
