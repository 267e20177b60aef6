import { spawn } from 'node:child_process';

/**
 * Kills a process when this one is gone, however it went: a shell waits for the end of its input. Returns what calls it
 * off, to be called when the process has ended.
 */
export function guard(pid: number): () => void {
  const script = 'cat >/dev/null; kill -9 "$1" 2>/dev/null';
  const shell = spawn('sh', ['-c', script, 'sh', String(pid)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  return () => {
    shell.kill('SIGKILL');
    shell.stdin?.destroy();
  };
}
