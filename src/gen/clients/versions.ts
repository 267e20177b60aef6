// Generated from codegen/outputs.ts by `npm run generate`. Do not edit.

/** The value of `A2A-Version` by service. */
export const versions: Readonly<Record<string, string>> = {
  'lf.a2a.v1.A2AService': '1.0',
  'a2a.v1.A2AService': '0.3',
};
