import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createDialects, loadImage } from '../../src/dialects/registry.ts';

/** The descriptors of all services, with the newest version of A2A 1.x: a FileDescriptorSet in base64. */
export const image: string = Buffer.from(await loadImage(createDialects())).toString('base64');

/** The types of all services. */
export const registry: ReturnType<typeof createFileRegistry> = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')),
);
