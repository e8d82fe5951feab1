#compdef berth
# Completion of berth for zsh, for .zshrc, or as the file _berth in a directory of fpath.

_berth() {
  local line name
  local -a found
  for line in "${(@f)$(berth complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    name=${line%%$'\t'*}
    # A colon begins the description.
    found+=("${name//:/\\:}:${line#*$'\t'}")
  done
  _describe berth found -M 'm:{a-zA-Z}={A-Za-z}'
}

if [[ ${funcstack[1]} == _berth ]]; then
  _berth "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _berth berth
fi
