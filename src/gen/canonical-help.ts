// Generated from codegen/versions.ts by `npm run generate`. Do not edit.

export { fieldTexts, summaries } from './a2a-1.1/help.ts';
