# Completion of berth for bash. It needs nothing else, such as the package bash-completion.
#
# Others have chosen the names that the service returns. So no name may reach eval or "compgen -W", which expand it, and
# each is quoted before it is put on the command line.

__berth_complete() {
  # Bash also splits words at = : and @. What has no space before it belongs to the word before it.
  local rest=${COMP_LINE:0:COMP_POINT} words=() last=-1 part i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if [[ $i == 0 || $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      words[++last]=
    fi
    # What is behind the cursor does not matter.
    [[ $i == "$COMP_CWORD" ]] && part=$rest
    words[last]+=$part
    rest=${rest#"$part"}
  done
  words=("${words[@]//[\\\"\']/}")

  # Bash replaces only the second argument, which is the end of the last word.
  local replaced=${2//[\\\"\']/} name about
  local kept=$((${#words[last]} - ${#replaced}))
  COMPREPLY=()
  while IFS=$'\t' read -r name about; do
    name=${name:kept}
    case ${COMP_WORDS[COMP_CWORD]} in
      # Bash itself adds the other quote.
      [\"\']*) [[ $name == *[\"\'\$\`\\!]* ]] || COMPREPLY+=("$name") ;;
      *) COMPREPLY+=("$(printf %q "$name")") ;;
    esac
  done < <(berth complete -- "${words[@]:1}" 2>/dev/null)
}

complete -F __berth_complete berth
