/**
 * The codec under test, which the suite starts: each message of its input is a case, and each of the output what has come of
 * it. Arguments: the file with the suite's descriptors, and a file to write the cases to. With that one, no case is answered
 * as it should be: all fail, so that the suite names them in their order.
 */
import { createWriteStream } from 'node:fs';
import { delimited, writeDelimited } from '../delimited.ts';
import { ConformanceCodec } from './codec.ts';

const [, , descriptors = '', cases] = process.argv;
const codec = new ConformanceCodec(descriptors);
/** A message that no case has: the field 14, a text. */
const wrong = { protobufPayload: Buffer.from('\x72\x09not tried') };

const recording = cases === undefined ? undefined : createWriteStream(cases);

for await (const message of delimited(process.stdin, 'lowest first')) {
  if (recording) writeDelimited(recording, 'lowest first', message);
  const read = codec.read(message);
  const isCase = read.messageType !== 'conformance.FailureSet';
  const answer = recording && isCase ? wrong : codec.answer(read);
  writeDelimited(process.stdout, 'lowest first', codec.write(answer));
}
recording?.end();
