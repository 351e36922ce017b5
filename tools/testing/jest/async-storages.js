// Plain JavaScript, because Jest loads it untransformed.
import asyncHooks from 'node:async_hooks';

/** @type {Set<import('node:async_hooks').AsyncLocalStorage<unknown>>} */
const made = new Set();

/** From Node 24 on, a promise carries the storages that it needs, and the class cannot be replaced. */
const isNeeded = Number(process.versions.node.split('.')[0]) < 24;

// Jest and our sources find it here. Packages that are loaded once keep theirs: `run` enables one again.
if (isNeeded) {
  asyncHooks.AsyncLocalStorage = class extends asyncHooks.AsyncLocalStorage {
    constructor(...args) {
      super(...args);
      made.add(this);
    }
  };
}

/**
 * Disables what a test file has made. Before Node 24, every storage that was ever used is visited for every promise of the
 * process, permanently: jest-circus makes one for each test file, our sources another, and after 40 files that was a
 * fifth of the CPU time.
 */
export function disableAsyncStorages() {
  for (const storage of made) storage.disable();
  made.clear();
}
