import { fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** The descriptors in a serialised image. */
export const descriptorsIn = (image: Uint8Array): FileDescriptorSet => fromBinary(FileDescriptorSetSchema, image);
