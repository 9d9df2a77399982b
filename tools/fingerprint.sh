# fingerprint DIR: one word that changes whenever something that goes into the build does.
# Names, sizes and times of the files are enough, and quicker than reading them all.
fingerprint() (
  cd "$1"
  find src web agent include package-lock.json tsconfig.json tsconfig.build.json \
    -type f ! -name '*.test.ts' ! -path '*/testdata/*' -printf '%p %s %T@\n' | cksum | tr ' ' '-'
)
