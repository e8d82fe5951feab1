/** What was read is not what the format requires. */
export class Malformed extends Error {
  override name = 'Malformed';
}

/** Reads the fields of an SSH public key one after another (RFC 4251, section 5). They throw `Malformed`. */
export interface Fields {
  /** Bytes or text, preceded by their length in four bytes. */
  string(): Buffer;
  /** A positive `mpint` in its only valid form, without the zero byte that a leading one bit needs. */
  positive(): Buffer;
  /** Throws unless everything was read. */
  end(): void;
}

export function fieldsOf(bytes: Buffer): Fields {
  let at = 0;

  function take(length: number): Buffer {
    if (length > bytes.length - at) throw new Malformed('it is too short');
    at += length;
    return bytes.subarray(at - length, at);
  }

  const string = () => take(take(4).readUInt32BE());

  return {
    string,
    positive() {
      const number = string();
      const [first = 0, second = 0] = number;
      const isShortest = first !== 0 ? first < 0x80 : second >= 0x80;
      if (!isShortest) throw new Malformed('a number is not in its shortest form, or not positive');
      return first === 0 ? number.subarray(1) : number;
    },
    end() {
      if (at < bytes.length) throw new Malformed('something follows it');
    },
  };
}

/** How many bits a number has that begins with a byte other than 0. */
export function bitsOf(number: Buffer): number {
  return number.length * 8 - Math.clz32(number[0] ?? 0) + 24;
}
