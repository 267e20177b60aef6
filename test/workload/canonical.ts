import { createFileRegistry, fromBinary, fromJson, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { image } from '../support/descriptors.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));

/** What can be compared although it came over different bindings: the JSON that protobuf makes of it. */
function canonical(type: string): (value: unknown) => string {
  const message = registry.getMessage(`lf.a2a.v1.${type}`);
  if (!message) throw new Error(`no type ${type}`);
  return (value) => JSON.stringify(toJson(message, fromJson(message, value as never, { registry }), { registry }));
}

export const canonicalEvent: (value: unknown) => string = canonical('StreamResponse');
export const canonicalTask: (value: unknown) => string = canonical('Task');
export const canonicalMessage: (value: unknown) => string = canonical('Message');
