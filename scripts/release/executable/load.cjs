'use strict';
/**
 * Runs a file of the gateway that the executable has unpacked. Packages are unpacked when they are first imported; agents that
 * import the gateway's own package get this copy of it.
 */
const { registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');

const parentURL = pathToFileURL(__filename).href;

/** The package that a specifier names, such as `@scope/name` of `@scope/name/file.js`. */
const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

module.exports = (file, packed, unpack) => {
  packed.delete('a2a-gateway');
  registerHooks({
    resolve(specifier, context, next) {
      const name = packageOf(specifier);
      if (packed.delete(name)) unpack(name);
      return next(specifier, name === 'a2a-gateway' ? { ...context, parentURL } : context);
    },
  });
  return import(pathToFileURL(file).href);
};
