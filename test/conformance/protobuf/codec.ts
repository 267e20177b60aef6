import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Api } from '../../../src/gen/api.ts';
import { parseJsonText } from '../../../src/wire/json.ts';
import { decode, decodeRaw, encode } from '../../../src/wire/protobuf.ts';
import { parseAs } from '../../../src/wire/validate.ts';
import { type Described, describeMessages } from '../../support/described-messages.ts';

/** The suite's ConformanceRequest. */
export interface Case {
  readonly protobufPayload?: Uint8Array;
  readonly jsonPayload?: string;
  readonly requestedOutputFormat?: 'PROTOBUF' | 'JSON' | 'JSPB' | 'TEXT_FORMAT';
  readonly messageType: string;
}

/** The suite's ConformanceResponse. */
export type Answer = { readonly [K in Result]?: K extends 'protobufPayload' ? Uint8Array : string };

type Result = 'parseError' | 'serializeError' | 'runtimeError' | 'protobufPayload' | 'jsonPayload' | 'skipped';

/** The suite's messages of proto3, which is what the codec is for. */
const types: readonly string[] = [
  'protobuf_test_messages.proto3.TestAllTypesProto3',
  'protobuf_test_messages.editions.proto3.TestAllTypesProto3',
];

/** Files of the suite's protos: of what it says to programs, and of the messages that it tries. */
export const protos = [
  'conformance/conformance.proto',
  'conformance/messages/test_messages_proto3.proto',
  'conformance/messages/test_messages_proto3_editions.proto',
] as const;

/**
 * Errors about values that JSON cannot hold. The codec decodes bytes to JSON in one step, so such a failure counts for the
 * suite as one of writing.
 */
const hasNoJson = /out of range|cannot be represented in JSON/;

/** The project's codec, as the suite talks with it. */
export class ConformanceCodec {
  readonly #suite: Described;
  readonly #api: Api;

  /** @param descriptors a file with those of `protos` */
  constructor(descriptors: string) {
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(descriptors));
    const image = { set, registry: createFileRegistry(set) };
    const [suite, ...messages] = protos;
    this.#suite = describeMessages(image, [suite]);
    const files = [...messages, 'google/protobuf/any.proto', 'google/protobuf/struct.proto'];
    this.#api = { ...describeMessages(image, files), package: '', service: '', operations: [] };
  }

  read(message: Uint8Array): Case {
    return decodeRaw<Case>(this.#suite, 'conformance.ConformanceRequest', message);
  }

  write(answer: Answer): Uint8Array {
    return encode(this.#suite, 'conformance.ConformanceResponse', answer);
  }

  answer({ protobufPayload, jsonPayload = '', requestedOutputFormat: format, messageType }: Case): Answer {
    if (messageType === 'conformance.FailureSet') return { protobufPayload: new Uint8Array() };
    if (!types.includes(messageType)) return { skipped: 'the codec knows proto3 only' };
    if (format !== 'PROTOBUF' && format !== 'JSON') return { skipped: 'the codec knows protobuf and JSON only' };
    let value: object;
    try {
      const json = protobufPayload ? decode(this.#api, messageType, protobufPayload) : parseJsonText(jsonPayload);
      value = parseAs<object>(this.#api, messageType, json);
    } catch (error) {
      const isRead = protobufPayload !== undefined && format === 'JSON' && hasNoJson.test(String(error));
      return { [isRead ? 'serializeError' : 'parseError']: String(error) };
    }
    if (format === 'JSON') return { jsonPayload: JSON.stringify(value) };
    return { protobufPayload: encode(this.#api, messageType, value) };
  }
}
