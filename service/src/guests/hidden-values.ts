import { decodeUserData } from './user-data.ts';

/** The words of errors of cloud-init, and of the YAML and JSON Schema libraries that it uses. They reveal nothing. */
const vocabulary = new Set(
  `--system a additional after alias all allowed already an and annotate any anchor apk apt apt-get are array at
  attempted attributeerror be because before begin blob block bool boolean bootcmd but by byte can cannot carry
  character cloud cloud-config cloud-init code column command commands condition config configuration connection
  contain contains content context could data degraded deprecated did directory disabled dnf document does done dpkg
  during duplicate eatmydata either elements empty end ended enum error errors exception exclusive execute exit expected
  expecting failed failing failure failures false fetch fetching file filenotfounderror files find flow for format found
  from given global greater group groups handler handling has have here home httperror if in include indicator init
  install installing instance int integer invalid is it its json key keyerror keys lacks length less lib line list load
  loading log long mapping mark match maximum message minimum missing module modules more multipart multiple must name
  no non-empty non-unique none not null number object of off on one only or order oserror out package
  package_update_upgrade_install packages parse parsing part path pattern permissionerror phone phone_home please post
  problem process processexecutionerror processing properties property provided python read reason recognized regex
  regexes report request required return returned run running runcmd runparts runtimeerror scalar scanning schema schemas
  script scripts scripts_user see seen sequence short should simple some start started status stderr stdout str stream
  string system tag template than that the this to token too tries true txt type typeerror under unexpected unicode
  unique unknown unable unhandled unsupported update upgrade url urlerror usage use user user-data users users_groups
  valid value valueerror values var version was were which while with would write write_files yaml yes`.split(
    /\s+/,
  ),
);

/**
 * The name of a field, at the beginning of a line or of an item. Secrets that are such names, as in a map from tokens to
 * users, usually have digits or capitals.
 */
const field = /^[ \t]*(?:-[ \t]+)*["']?([a-z][a-z_-]{1,39})["']?[ \t]*:(?=\s|$)/gm;

/** A number of cloud-init with the word that says of what; otherwise all characters up to a blank or a quote. */
const chunk =
  /((?:line|column|code:) \d{1,6}|\d{1,3} (?:failures|attempted))(?=[\s,:.)'"]|$)|[^\s'"]+/g;
/** Where `cloud-init schema` found broken YAML, and the name that cloud-init gives to a script. */
const position = /^(?:format-l\d{1,6}\.c\d{1,6}:?|\(?part-\d{3}\)?)$/;
/** What separates words in such characters, besides the dots of a path. */
const divider = /[,;:=(){}[\]<>|/]+/;
const index = /^\d{1,3}$/;
const punctuation = /^[!-/:-@[-`{-~]+$/;
const mostPunctuation = 3;

/**
 * Returns a function that replaces the values of the user data in a message of cloud-init, which must be in one line. They
 * may be secret, and cloud-init quotes what it finds invalid, also as it has converted, decoded or fetched it. So all words
 * are replaced that are neither its own nor names of fields. The time that it takes is linear, because a guest chooses
 * both texts.
 */
export function hideValuesOf(userData: string | undefined): (message: string) => string {
  const fields = fieldsOf(userData);
  const isWord = (one: string) =>
    one === '' || fields.has(one) || vocabulary.has(one.toLowerCase());
  // A path has indexes, such as `users.0.name`.
  const isPath = (one: string) => {
    const [first = '', ...others] = one.split('.');
    return isWord(first) && others.every((other) => isWord(other) || index.test(other));
  };
  const isShown = (one: string) =>
    punctuation.test(one)
      ? one.length <= mostPunctuation
      : position.test(one) || one.split(divider).every(isPath);
  return (message) =>
    message
      // Python shows line breaks like this in what it quotes.
      .replaceAll('\\n', ' ')
      .replaceAll(chunk, (one, count?: string) => (count || isShown(one) ? one : '…'))
      .replaceAll(/…(?: …)+/g, '…');
}

function fieldsOf(userData: string | undefined): Set<string> {
  const decoded = userData === undefined ? undefined : decodeUserData(userData);
  if (!decoded || 'error' in decoded) return new Set();
  return new Set(Array.from(decoded.content.toString().matchAll(field), ([, name = '']) => name));
}
