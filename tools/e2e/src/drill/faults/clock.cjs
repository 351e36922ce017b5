'use strict';

// Loaded into a process of the drill before anything else (`node --require`): the clock of its machine, which can be set.
// The file that DRILL_CLOCK names says by how many milliseconds it is off.
const { readFileSync } = require('node:fs');

// oxlint-disable-next-line node/no-process-env -- the program that it is loaded into has a configuration of its own
const { DRILL_CLOCK: file } = process.env;
const TrueDate = Date;
let offsetMs = 0;

globalThis.Date = class Date extends TrueDate {
  constructor(...time) {
    if (time.length === 0) super(TrueDate.now() + offsetMs);
    else super(...time);
  }

  static now() {
    return TrueDate.now() + offsetMs;
  }
};

function look() {
  offsetMs = Number(readFileSync(file, 'utf8'));
}
look();
setInterval(look, 100).unref();
