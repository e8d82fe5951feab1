#!/bin/sh
# `npm run test:all`: the setup needs to know the parts, and npm passes no arguments to a script `pretest:all`.
node setup/prepare.mjs test "$@" || exit
# The setup may have installed the Node.js of Berth, which then comes first.
hash -r
exec node suites/run.ts --all "$@"
