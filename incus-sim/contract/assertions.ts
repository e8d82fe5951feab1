import assert from 'node:assert/strict';
import { EngineError, type EngineErrorCode } from '../../service/src/incus/transport/errors.ts';

/** For `assert.rejects`: an error with one of these codes, and a message that matches. */
export function failsWith(codes: EngineErrorCode | EngineErrorCode[], words: RegExp = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof EngineError, String(error));
    assert.ok([codes].flat().includes(error.code), `${error.code}: ${error.message}`);
    assert.match(error.message, words);
    return true;
  };
}
