// Generated from codegen/versions.ts by `npm run generate`. Do not edit.

export { image } from './a2a-1.1/image.ts';
