import { createFileRegistry, type DescExtension, type DescMethod, fromBinary, type Registry } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { image } from '../../../support/descriptors.ts';

/** The messages and rpcs of A2A 1.0, as protobuf-es has them. */
export const registry: Registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));

const service = registry.getService('lf.a2a.v1.A2AService');

/** An rpc of A2A by its name. */
export function rpcOf(name: string): DescMethod {
  const rpc = service?.methods.find((method) => method.name === name);
  if (rpc === undefined) throw new Error(`A2A has no rpc ${name}`);
  return rpc;
}

/** The option of an rpc that has its path and method of HTTP. */
export const httpRule = registry.getExtension('google.api.http') as DescExtension;

/** The option of a field that says whether it is required: numbers of google.api.FieldBehavior. */
export const fieldBehavior = registry.getExtension('google.api.field_behavior') as DescExtension;
