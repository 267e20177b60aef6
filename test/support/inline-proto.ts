import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImage, type Image } from '../../codegen/image.ts';
import { describe, type Model } from '../../codegen/model.ts';
import type { Overlay } from '../../codegen/overlay.ts';
import { noOverlay } from './described-messages.ts';
import { newFolder } from './folders.ts';

/** A proto with the usual imports, package `test.v1` and the given body, as the model that the generators read. */
export function modelOf(body: string, overlay: Overlay = noOverlay): Model {
  return describe(imageOf(body), 'test.proto', overlay);
}

/** Returns the proto as a compiled image. */
export function imageOf(body: string): Image {
  const dir = newFolder();
  cpSync(fileURLToPath(new URL('../../proto/google', import.meta.url)), join(dir, 'google'), { recursive: true });
  const imports = ['api/annotations', 'api/field_behavior', 'protobuf/struct', 'protobuf/timestamp', 'protobuf/empty'];
  const head = imports.map((name) => `import "google/${name}.proto";\n`).join('');
  writeFileSync(join(dir, 'test.proto'), `syntax = "proto3";\npackage test.v1;\n${head}\n${body}`);
  return buildImage(dir);
}
