set -e
sed -e 's/young: 200 GPa/young: 187 GPa/' -e 's/mass: 0.1, stiffness: 5e-5 s/mass: 0.22, stiffness: 1.1e-4 s/' scenes/rod.yaml >truth.yaml
limber simulate truth.yaml --out truth
awk -F, '
  function noise() { return 0.001 * sqrt(-2 * log(1 - rand())) * cos(6.28318530718 * rand()) }
  NR == 1 { srand(1); for (i = 1; i <= NF; i++) c[$i] = i; print "time,weight.x,weight.y,weight.z"; next }
  { printf "%s,%.4f,%.4f,%.4f\n", $1, $c["weight.x"] + noise(), $c["weight.y"] + noise(), $c["weight.z"] + noise() }
' truth/trajectory.csv >rod.csv
