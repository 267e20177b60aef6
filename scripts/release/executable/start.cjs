'use strict';
/**
 * The program of the single executable file. Threads, processes and agents load files by their paths, so it unpacks the
 * gateway into the user's cache once, and each package that the gateway imports when it is first imported.
 */
const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { zstdDecompressSync } = require('node:zlib');

/** Folders that may hold the cache, the preferred one first. systemd sets the first. */
function cacheFolders() {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  return [CACHE_DIRECTORY, XDG_CACHE_HOME, LOCALAPPDATA, join(homedir(), '.cache')]
    .filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => join(folder, 'a2a-gateway'));
}

/** Whether only this user can have written a folder whose code is run. */
function isOwn(folder) {
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

/** Writes the files of a part. Each appears whole, because another process may write or read it at the same time. */
function unpack(name, folder) {
  const { start, end, files } = parts[name];
  const bytes = zstdDecompressSync(new Uint8Array(getRawAsset('files'), start, end - start));
  for (const [path, from, to] of files) {
    const file = join(folder, path);
    const partial = `${file}.${randomUUID()}`;
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(partial, bytes.subarray(from, to), { mode: 0o600 });
    fs.renameSync(partial, file);
  }
}

/** Unpacks the gateway beside its folder and renames, so that a folder of that name is complete. */
function unpackGateway(folder) {
  const partial = `${folder}.${randomUUID()}`;
  try {
    unpack('a2a-gateway', partial);
    fs.renameSync(partial, folder);
  } catch (error) {
    fs.rmSync(partial, { recursive: true, force: true });
    // Another process may have been faster.
    if (!isOwn(folder)) throw error;
  }
}

/** The folder of the gateway: in the cache, or one for this process alone where no cache can be written. */
function gatewayFolder() {
  for (const cache of cacheFolders()) {
    const folder = join(cache, getAsset('name', 'utf8'));
    try {
      if (!isOwn(folder)) unpackGateway(folder);
      if (isOwn(folder)) return folder;
    } catch {
      // The next one, or a folder of its own.
    }
  }
  const folder = fs.mkdtempSync(join(tmpdir(), 'a2a-gateway-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  unpack('a2a-gateway', folder);
  return folder;
}

const parts = JSON.parse(getAsset('parts', 'utf8'));
const own = join('node_modules', 'a2a-gateway');

/** A process that the gateway forks is started as `EXECUTABLE FILE …`, which Node itself would run as that file. */
const isForked = process.send !== undefined && process.argv[2]?.includes(own) === true;
const folder = isForked ? process.argv[2].slice(0, process.argv[2].lastIndexOf(own)) : gatewayFolder();
const file = isForked ? process.argv[2] : join(folder, own, 'bin', 'a2a-gateway.js');
process.argv.splice(1, isForked ? 2 : 1, file);
const packages = new Set(Object.keys(parts).filter((name) => !fs.existsSync(join(folder, 'unpacked', name))));
// Code in the executable cannot import files; a file can.
createRequire(file)(join(folder, 'load.cjs'))(file, packages, (name) => {
  unpack(name, folder);
  fs.mkdirSync(join(folder, 'unpacked', name), { recursive: true, mode: 0o700 });
});
